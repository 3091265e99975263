interface Due {
  moment: number;
  slot: number;
}

/** Slots by the moment at which they are due, as a binary heap. */
export class MomentQueue {
  readonly #heap: Due[] = [];

  add(moment: number, slot: number): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push({ moment, slot });
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if ((heap[parent] as Due).moment <= moment) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Takes out a slot that is due at `now`, the longest due first; `undefined` when there is none. */
  takeDue(now: number): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (!first || first.moment > now) return undefined;
    const last = heap.pop() as Due;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first.slot;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #sink(): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let soonest = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && (heap[child] as Due).moment < (heap[soonest] as Due).moment) soonest = child;
      }
      if (soonest === index) return;
      this.#swap(index, soonest);
      index = soonest;
    }
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap;
    const held = heap[left] as Due;
    heap[left] = heap[right] as Due;
    heap[right] = held;
  }
}
