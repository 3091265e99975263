import { hasFields, isText } from "../../kit/store/damaged-record.ts";

/** Whether a value is a user, as one is stored. */
export const isUser = hasFields({ identity: isText });

/** Who sends a request, as the project's handler says; further fields are kept. */
export interface AuthUser {
  identity: string;
  permissions: string[];
  /** @default true */
  is_authenticated: boolean;
  /** @default the identity */
  display_name: string;
  [field: string]: unknown;
}
