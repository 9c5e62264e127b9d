import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TcpProxy } from '../services/tcp-proxy.js';
import {
  describeWithServices,
  mongoForTest,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../services/test-services.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { numbersTo } from '../e2e/numbers.js';
import { Tab } from '../e2e/page-tab.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';

/** Chromium, on a machine that does other things too. */
const SEEN_MS = 40_000;

describeWithServices(['rabbitmq', 'mongo', 'chromium'], 'the page, when its gateway is down', () => {
  let cluster: Cluster;
  let door: TcpProxy;
  let contexts: Contexts;

  beforeAll(async () => {
    const [rabbitmq, mongo, launched] = await Promise.all([
      rabbitmqForTest(),
      mongoForTest(),
      connectBrowser(),
    ]);
    contexts = launched;
    const services = { rabbitmqUrl: rabbitmq!.url, mongodbUrl: mongo!.url };
    cluster = await Cluster.start({ services, orchestrators: [{}], workers: [{}] });
    door = await TcpProxy.start(cluster.gateways[0]!.url);
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  afterEach(() => expect(cluster?.errors).toEqual([]));

  afterAll(async () => {
    await Promise.all([contexts?.browser.close(), cluster?.stop()]);
    await door?.stop();
  });

  it('reports the loss, and continues at another gateway with the uninterrupted turn', async () => {
    const tab = await Tab.open(contexts, door.url);
    tab.page.setDefaultTimeout(SEEN_MS);
    await tab.say('count to 300');
    await tab.reads('1 2 3');
    const [gateway, other] = cluster.gateways;
    await cluster.end(gateway!);
    door.mode = 'cut';
    await tab.seen(/^Reconnecting.*What you write is kept and sent once\.$/);
    await tab.say('say written meanwhile');
    await tab.tray.getByText('on this device only').waitFor();
    door.leadTo(other!.url);
    door.mode = 'pass';
    await tab.seen('Connected again.');
    await tab.hasEnded(2);
    expect(await tab.page.locator('.prose').allInnerTexts()).toEqual([numbersTo(300), 'written meanwhile']);
    expect(await tab.ownMessages()).toEqual(['count to 300', 'say written meanwhile']);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  }, 150_000);
});
