/* Over stdio: both eras. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { scriptedServer } from './scripted-tools.mjs';

serveStdio(scriptedServer);
