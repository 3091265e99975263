/** Minimum memory limit of a worker, in MiB: with less, no project loads. */
const minMemoryMb = 64;

/** Checks the memory limit of workers, in MiB. @throws {RangeError} for anything but an integer from 64. */
export function checkWorkerMemory(memoryMb: number): number {
  if (Number.isSafeInteger(memoryMb) && memoryMb >= minMemoryMb) return memoryMb;
  throw new RangeError(
    `The memory limit of a worker must be a whole number of MiB, at least ${minMemoryMb}, not ${memoryMb}.`,
  );
}
