/** The user that the project's handler returned, with any further fields. */
export interface AuthUser {
  identity: string;
  permissions: string[];
  /** @default true */
  is_authenticated: boolean;
  /** @default the identity */
  display_name: string;
  [field: string]: unknown;
}
