import { Component, Suspense, type ReactNode } from 'react';

interface BoundaryProps {
  /** What is shown; another one is tried anew. */
  of: unknown;
  /** In place of what failed. `again` tries it once more. */
  instead: (again: () => void) => ReactNode;
  children: ReactNode;
}

/** Keeps a failure while rendering to one part of the page. React reports it on the browser's console. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.hasFailed && before.of !== this.props.of) this.again();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead(this.again) : this.props.children;
  }

  private readonly again = (): void => this.setState({ hasFailed: false });
}

/** Says that a part of the page cannot be shown. The rest goes on. */
export function FailedPart({ what, again }: { what: string; again: () => void }) {
  return (
    <p className="turn-problem" role="alert">
      <span className="grow">{what} cannot be shown, because of a fault in this page.</span>
      <button type="button" className="text-button" onClick={again}>
        Try again
      </button>
      <button type="button" className="text-button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}

/** For a part that is fetched when it is first shown: absent until it is there. */
export function Later({ what, children }: { what: string; children: ReactNode }) {
  return (
    <Boundary of={what} instead={(again) => <FailedPart what={what} again={again} />}>
      <Suspense>{children}</Suspense>
    </Boundary>
  );
}
