/** In the configuration of a server with a scope it stands for whom a process or session belongs to. */
export const OWNER_VARIABLE = 'SWITCHYARD_OWNER';
export const OWNER_PLACE = `\${${OWNER_VARIABLE}}`;

export function mentionsOwner(config: unknown): boolean {
  return JSON.stringify(config).includes(OWNER_PLACE);
}
