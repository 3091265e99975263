/** The type of the resource in every state file. Frozen. */
export const deploymentType = "pulumi-nodejs:dynamic/graphdeploy:Deployment";

/**
 * The provider as Pulumi keeps it in the state, as source text under `__provider`. It is what Pulumi would serialize
 * from an object with seven one-line methods, but written by hand, so that it is identical in every release, whatever
 * compiled it, and only loads the runtime. Frozen, as is the subpath that it loads: see docs/decisions.
 */
export const providerText = `exports.handler = () => {
  let provider;
  const load = () => {
    try {
      return (provider ??= require("graphdeploy/provider/runtime").createProvider());
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
      throw new Error("The package graphdeploy can't be loaded. Install it in the folder of the Pulumi program: npm install graphdeploy");
    }
  };
  return {
    configure: async (request) => load().configure(request),
    check: async (olds, news) => load().check(olds, news),
    diff: async (id, olds, news) => load().diff(id, olds, news),
    create: async (inputs) => load().create(inputs),
    read: async (id, props) => load().read(id, props),
    update: async (id, olds, news) => load().update(id, olds, news),
    delete: async (id, props) => load().delete(id, props),
  };
};
`;
