/** A scheduled task of a virtual world. Of tasks due at the same time, the one with the lowest `order` runs first. */
export interface Task {
  dueAt: number;
  order: number;
  act: () => void;
  isCancelled: boolean;
}

/** The owner of a task: a frozen process runs nothing now, a dead one never will. */
export interface TaskOwner {
  readonly state: 'running' | 'frozen' | 'dead';
  /** Called when its task came due while it was frozen. */
  hold(task: OwnedTask): void;
}

export interface OwnedTask extends Task {
  owner?: TaskOwner;
}

/** A heap of tasks. A cancelled task is dropped when its turn comes. */
export class TaskQueue<T extends Task> {
  private readonly heap: T[] = [];

  add(task: T): void {
    const { heap } = this;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, task)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = task;
  }

  /** The next task, without removing it. */
  peek(): T | undefined {
    while (this.heap[0]?.isCancelled) this.removeFirst();
    return this.heap[0];
  }

  take(): T | undefined {
    const first = this.peek();
    if (first) this.removeFirst();
    return first;
  }

  /** Applies a change that affects the order of tasks. */
  rearrange(change: (task: T) => void): void {
    const tasks = this.heap.splice(0).filter(({ isCancelled }) => !isCancelled);
    for (const task of tasks) {
      change(task);
      this.add(task);
    }
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
