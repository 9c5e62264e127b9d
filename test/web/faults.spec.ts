import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { usePageFixture } from './fixture.js';

const web = usePageFixture();

describe('a fault of the page', () => {
  it('in one turn leaves the others, and is tried again', async () => {
    const conversation = web.gateway.add('odd', 'An odd one');
    for (const number of [1, 2, 3]) {
      const turn = web.gateway.accept('odd', `Question ${number}`, `m${number}`);
      turn.start().say(`Answer ${number}`).complete();
    }
    const [, odd] = conversation.view.turns;
    Object.assign(odd!.steps[0]!, { text: null });
    await web.open('#/c/odd');
    await web.seen('Answer 1');
    await web.seen('Answer 3');
    await web.seen('This message cannot be shown, because of a fault in this page.');
    await web.button('Try again').click();
    await web.seen('This message cannot be shown, because of a fault in this page.');
    await web.say('And on');
    (await web.turn(3)).start().say('Certainly.').complete();
    await web.seen('Certainly.');
    expect(web.takeComplaints().length).toBeGreaterThan(0);
  });
});

describe('what renders Markdown', () => {
  it('that cannot be had leaves the text as it was written', async () => {
    await web.openOnce();
    await web.page.route('**/rendered-markdown-*.js', (route) => route.abort());
    await web.say('show me');
    (await web.turn(0)).start().say('Some **bold**\n\nwords').complete();
    await web.seen('tokens');
    expect(await web.page.locator('.prose').innerText()).toBe('Some **bold**\n\nwords');
    await waitFor(() => web.takeComplaints().join().includes('rendered-markdown'), { what: 'the complaint' });
  });

  it('is not loaded before there is an answer', async () => {
    const loaded: string[] = [];
    await web.openOnce();
    web.page.on('request', (request) => loaded.push(request.url()));
    await web.page.reload();
    await web.composer().waitFor();
    await web.page.waitForLoadState('networkidle');
    expect(loaded.filter((url) => url.includes('/rendered-markdown-')).length).toBe(0);
    await web.say('show me');
    (await web.turn(0)).start().say('**bold**').complete();
    await web.page.locator('.prose strong').waitFor();
    expect(loaded.filter((url) => url.includes('/rendered-markdown-')).length).toBe(1);
  });
});
