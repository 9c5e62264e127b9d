/* An MCP server over stdio (spec 2026-07-28) that asks the person: a call ends with its questions and is repeated. */
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const question = (message) =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { account: { type: 'string', enum: ['GOT-1', 'GOT-3'] } },
      required: ['account'],
    },
  });
const told = (answer) => (answer.action === 'accept' ? answer.content.account : answer.action);

serveStdio(() => {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, { capabilities: { tools: {} } });

  server.registerTool('ask', { description: 'Asks which account.' }, ({ mcpReq: { inputResponses } }) =>
    inputResponses?.account
      ? text(`the account is ${told(inputResponses.account)}`)
      : inputRequired({ inputRequests: { account: question('Which account?') } }),
  );

  const config = { description: 'Asks twice.', outputSchema: z.object({ from: z.string(), to: z.string() }) };
  server.registerTool('ask_twice', config, ({ mcpReq: { inputResponses, requestState } }) => {
    if (inputResponses?.to) {
      const structuredContent = { from: requestState(), to: told(inputResponses.to) };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    }
    if (!inputResponses?.from)
      return inputRequired({ inputRequests: { from: question('From which account?') } });
    const from = told(inputResponses.from);
    return inputRequired({ inputRequests: { to: question('To which account?') }, requestState: from });
  });

  server.registerTool('ask_by_link', { description: 'Sends the person elsewhere.' }, () =>
    inputRequired({
      inputRequests: { key: inputRequired.elicitUrl({ message: 'Sign in.', url: 'https://example.com/in' }) },
    }),
  );
  return server;
});
