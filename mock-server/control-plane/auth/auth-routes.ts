import { agentConnectionRoutes } from "./connection-routes.ts";
import { flowRoutes } from "./flow-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** The operations of the auth service. */
export const authRoutes = [...providerRoutes, ...flowRoutes, ...tokenRoutes, ...agentConnectionRoutes];
