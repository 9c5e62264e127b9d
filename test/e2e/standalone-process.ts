import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess, type ProcessOptions, type SwitchyardProcess } from '../services/processes.js';

const folders: string[] = [];

/** An empty folder, removed by `removeFolders`. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-e2e-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
}

/** The file's path, for settings that name a file. */
export async function writeSettings(name: string, content: unknown): Promise<string> {
  const path = join(await newFolder(), name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The one process of a laptop, on a data folder of its own unless `env.DATA_DIR` names one. */
export async function startStandalone(
  env: Record<string, string> = {},
  options?: ProcessOptions,
): Promise<SwitchyardProcess> {
  return startProcess('standalone', { DATA_DIR: env.DATA_DIR ?? (await newFolder()), ...env }, options);
}

export interface HttpAnswer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** A request whose answer, if there is a body, is JSON. */
export async function requestJson<T = never>(
  url: string,
  { json, ...init }: RequestInit & { json?: unknown } = {},
): Promise<HttpAnswer<T>> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...init.headers };
  const response = await fetch(url, { ...init, ...body, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as T };
}
