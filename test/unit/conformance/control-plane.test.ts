import { controlPlaneDocument } from "../../../mock-server/control-plane/control-plane.ts";
import { digestOf, type OpenApiFile } from "../../kit/conformance/digest.ts";
import { testDeviations } from "./openapi-deviations.ts";

testDeviations({
  name: "control-plane",
  ours: digestOf(controlPlaneDocument() as unknown as OpenApiFile),
  operations: 39,
});
