import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';

const web = usePageFixture();

describe('a message on an unreliable connection', () => {
  it('is kept and sent once, and the loss is reported after two seconds', async () => {
    await web.openOnce();
    await web.page.clock.install();
    await web.say('Start');
    const one = (await web.turn(0))
      .start()
      .say('Working')
      .ask({ tool: 'data.query', args: { sql: 'select 1' } })
      .run(0);
    await web.seen('Running');
    web.gateway.cutOff();
    await web.seen(/Reconnecting/);
    await web.seen('Was running');
    await web.seen(/Shown as of/);
    await web.say('Written on the train');
    await web.seen('on this device only');
    await web.composer().fill('And a draft');
    await takePicture(web.page, 'reconnecting');
    const clock = await web.page.locator('.call-time').innerText();
    one.succeed(0, '1', 4_000);
    // From here on the page cannot try by itself, and it counts down only when no try is under way.
    await web.page.clock.pauseAt(Date.now() + 10_000);
    await web.seen(/Reconnecting in \d+ s/);
    web.gateway.restore();
    expect(await web.page.locator('.call-time').innerText()).toBe(clock);
    await web.button('Try now').click();
    await web.page.clock.resume();
    await web.seen('Connected again.');
    await web.turn(1);
    await web.seen(/Done on|worker-3f2a91/);
    expect(web.gateway.messages.filter(({ content }) => content === 'Written on the train')).toHaveLength(1);
    expect(await web.composer().inputValue()).toBe('And a draft');
    expect(await web.page.getByText('Was running').count()).toBe(0);
  });

  it('is resent with the same id and shown once when its answer was lost', async () => {
    await web.open();
    web.gateway.onMessage = (message) => {
      web.gateway.add('conv_lost', 'Lost').summary.title = message.content;
      web.gateway.onMessage = undefined;
      web.gateway.cutOff();
    };
    await web.say('Only once');
    await waitFor(() => web.gateway.messages.length === 1, { what: 'the first try' });
    web.gateway.restore();
    const one = await web.turn(0);
    expect(web.gateway.messages[1]).toEqual(web.gateway.messages[0]);
    one.start().say('Understood.').complete();
    await web.seen('Understood.');
    expect(await web.page.locator('.own-message', { hasText: 'Only once' }).count()).toBe(1);
  });

  it('survives a reload while it is unsent', async () => {
    await web.open();
    await web.page.getByText('What needs doing?').waitFor();
    web.gateway.cutOff();
    await web.say('Kept');
    await web.seen('Kept');
    await web.page.reload();
    await web.seen('Kept');
    web.gateway.restore();
    await web.turn(0);
    expect(web.gateway.messages).toHaveLength(1);
  });

  it('shows in place why the server refused it, and is resent on request', async () => {
    await web.open();
    web.gateway.onMessage = (_message, ack) =>
      ack({ error: { code: 'busy', message: 'You have 40 turns running.' } });
    await web.say('One more');
    await web.seen('You have 40 turns running.');
    web.gateway.onMessage = undefined;
    await web.button('Try again').click();
    await web.turn(0);
    expect(web.gateway.messages[1]?.client_message_id).toBe(web.gateway.messages[0]?.client_message_id);
  });
});
