/** The least that a worker can be given, in MiB: with less, no project loads. */
const minMemoryMb = 64;

/** Checks what workers may take, in MiB. @throws {RangeError} for anything but a whole number from 64 on. */
export function checkWorkerMemory(memoryMb: number): number {
  if (Number.isSafeInteger(memoryMb) && memoryMb >= minMemoryMb) return memoryMb;
  throw new RangeError(`The memory of a worker is a whole number of MiB from ${minMemoryMb} on, and not ${memoryMb}.`);
}
