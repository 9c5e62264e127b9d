import type { RegistrationSetting } from '#bootstrap';
import type { Store } from '#store';
import { RequestError } from '../../errors/request-error.js';
import type { Invitations } from './invitations.js';

/** What a visitor without an account can do now. */
export type RegistrationState = 'open' | 'invite' | 'closed';

/** How a new account has to be inserted. */
export interface Admission {
  /** Only while no other account exists. */
  isFirst?: boolean;
  /** Used up by the insert: its id makes the account's, so one of two inserts loses. */
  invitationId?: string;
}

/** `REGISTRATION`: who may create an account. */
export class Registration {
  /** Accounts are never removed, so this is asked until it is true once. */
  private hasAccounts = false;

  constructor(
    private readonly setting: RegistrationSetting,
    private readonly store: Pick<Store, 'lastAccountNumber'>,
    private readonly invitations: Pick<Invitations, 'find'>,
  ) {}

  async state(): Promise<RegistrationState> {
    const { setting } = this;
    if (setting === 'open' || setting === 'closed') return setting;
    this.hasAccounts ||= (await this.store.lastAccountNumber()) > 0;
    if (!this.hasAccounts) return 'open';
    return setting === 'invite' ? 'invite' : 'closed';
  }

  /** Throws `RequestError` `forbidden`. */
  async admit(invitation: string | undefined): Promise<Admission> {
    const state = await this.state();
    if (state === 'open') return { isFirst: this.setting !== 'open' };
    if (state === 'closed') throw registrationClosed();
    if (invitation === undefined)
      throw new RequestError('forbidden', 'Registration needs an invitation. Ask an operator for a link.');
    const found = await this.invitations.find(invitation);
    if (!found) throw invitationGone();
    return { invitationId: found };
  }
}

export function registrationClosed(): RequestError {
  return new RequestError('forbidden', 'Registration is closed.');
}

export function invitationGone(): RequestError {
  return new RequestError(
    'forbidden',
    'This invitation was used or withdrawn, or it has expired. Ask an operator for another.',
  );
}
