import { hasFields, isText } from "../../kit/store/damaged-record.ts";

/** Whether a value is a user, as one is stored. */
export const isUser = hasFields({ identity: isText });

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
