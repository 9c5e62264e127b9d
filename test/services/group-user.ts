import { rightsOf, type WorkerGroup } from '#messaging';
import type { RabbitmqForTest } from './test-services.js';

/** The broker's URL for a new user who has the rights of the group, and no others. */
export async function groupUserUrl(
  { management, vhost, url }: RabbitmqForTest,
  group: WorkerGroup,
  { name = group.name, password = 'secret' }: { name?: string; password?: string } = {},
): Promise<URL> {
  const username = `${name}-${vhost}`;
  await management.request('PUT', `/api/users/${username}`, { password, tags: '' });
  await management.request('PUT', `/api/permissions/${vhost}/${username}`, rightsOf(group));
  return Object.assign(new URL(url), { username, password });
}
