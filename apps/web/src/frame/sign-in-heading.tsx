import { Icon } from './icon.js';

export function SignInHeading({ children }: { children: string }) {
  return (
    <h1>
      <Icon name="switch" className="mark" />
      {children}
    </h1>
  );
}
