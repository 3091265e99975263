// The smallest action in JavaScript: it fails for a missing required input. Bundled by run.ts for comparison.
import * as core from "@actions/core";
import { getOctokit } from "@actions/github";

const token = core.getInput("github-token");
if (core.getInput("name") === "") core.setFailed("name: is required");
else await getOctokit(token).rest.meta.get();
