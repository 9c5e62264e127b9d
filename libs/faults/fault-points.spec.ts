import { afterEach, describe, expect, it } from '@jest/globals';
import { FAULT_POINTS } from './fault-point-names.js';
import { armFault, createPass, faultPoint, onDropConnection } from './fault-points.js';
import { parseFault, type Fault } from './parse-fault.js';
import { createStrike } from './strike.js';

afterEach(() => armFault(undefined));

describe('faultPoint', () => {
  it('does nothing unless the environment arms it', () => {
    expect(faultPoint('turn_claimed')).toBeUndefined();
  });

  it('triggers only the armed point', async () => {
    armFault('turn_claimed:delay:1');
    expect(faultPoint('call_claimed')).toBeUndefined();
    await expect(faultPoint('turn_claimed')).resolves.toBeUndefined();
    expect(faultPoint('turn_claimed')).toBeUndefined();
  });

  it('drops every connection that was registered after it was armed', async () => {
    const dropped: string[] = [];
    onDropConnection(() => dropped.push('of an unarmed process'));
    armFault('hint_received:drop_connection');
    onDropConnection(() => dropped.push('a'));
    onDropConnection(() => dropped.push('b'));
    await faultPoint('hint_received');
    expect(dropped).toEqual(['a', 'b']);
  });

  it('fails when there is no connection to drop', async () => {
    const strike = createStrike([]);
    await expect(strike(parseFault('hint_received:drop_connection')!)).rejects.toThrow('no connection');
  });
});

describe('createPass', () => {
  it('triggers once, at the passage that the fault names', async () => {
    const struck: Fault[] = [];
    const fault = parseFault('call_published:kill@2')!;
    const pass = createPass(fault, async (given) => void struck.push(given));
    for (let passages = 0; passages < 4; passages++) await pass('call_published');
    expect(struck).toEqual([fault]);
  });
});

describe('parseFault', () => {
  it('reads the four kinds, and the number of the passage', () => {
    const name = 'turn_claimed';
    expect(parseFault('turn_claimed:kill')).toEqual({ name, kind: 'kill', passage: 1 });
    expect(parseFault('turn_claimed:freeze@3')).toEqual({ name, kind: 'freeze', passage: 3 });
    expect(parseFault('turn_claimed:drop_connection')).toMatchObject({ kind: 'drop_connection' });
    expect(parseFault('turn_claimed:delay:250@2')).toEqual({ name, kind: 'delay', delayMs: 250, passage: 2 });
    expect(parseFault('')).toBeUndefined();
  });

  it.each(['turn_claimed', 'turn_claimed:burn', 'turn_claimed:delay', 'turn_claimed:kill:5', ':kill'])(
    'refuses %s and lists the valid forms',
    (text) => expect(() => parseFault(text)).toThrow('SWITCHYARD_FAULT must be'),
  );

  it('refuses an unknown point and lists the existing ones', () => {
    expect(() => parseFault('turn_clamed:kill')).toThrow(Object.keys(FAULT_POINTS).join(', '));
  });
});
