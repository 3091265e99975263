import { expect, test, vi } from "vitest";
import { compose } from "../../../mock-server/compose.ts";
import { openStorage } from "../../../mock-server/storage.ts";

test("a defect is reported even after a server has closed, but its closed database isn't a defect", async () => {
  const storage = await openStorage(undefined, 1);
  const { onDefect, close } = compose({}, storage, () => "http://127.0.0.1:1", {});
  await close(async () => undefined);
  const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
  try {
    let failure: unknown;
    try {
      storage.database.all("SELECT 1");
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(Error);
    onDefect(failure);
    expect(reported).not.toHaveBeenCalled();
    onDefect(new RangeError("a folder that can't be removed"));
    expect(reported).toHaveBeenCalledWith(expect.stringContaining("a folder that can't be removed"));
  } finally {
    reported.mockRestore();
  }
});
