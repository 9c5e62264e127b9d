import { Icon } from './icon.js';

export function SignInHeading({ children }: { children: string }) {
  return (
    <h1>
      <Icon name="switch" className="mark" />
      {children}
    </h1>
  );
}

/** The id that fields name as their description. */
export const SIGN_IN_PROBLEM = 'sign-in-problem';

/** The reason why the sign-in failed, also for screen readers. */
export function SignInProblem({ children }: { children: string | undefined }) {
  if (!children) return null;
  return (
    <p id={SIGN_IN_PROBLEM} className="sign-in-problem" role="alert">
      {children}
    </p>
  );
}
