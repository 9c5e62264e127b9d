import { describe, expect, it } from '@jest/globals';
import { readImageHeader } from './image-header.js';
import { PNG, pngOf } from './testing/pictures.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const webp = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(chunk), bytes(`00000000 ${rest}`)]);

describe('readImageHeader', () => {
  it.each([
    ['image/png', pngOf(640, 480), 640, 480],
    ['image/gif', Buffer.concat([Buffer.from('GIF89a'), bytes('0a00 1400')]), 10, 20],
    ['image/webp', webp('VP8 ', '000000 9d012a 8002 e001'), 640, 480],
    ['image/webp', webp('VP8L', '2f 7fc27700'), 640, 480],
    ['image/webp', webp('VP8X', '00000000 7f0200 df0100'), 640, 480],
    ['image/jpeg', bytes('ffd8 ffe0 0004 0000 ff ffc4 0003 00 ffc2 000b 08 01e0 0280'), 640, 480],
  ])('reads type and size of %s', (contentType, content, width, height) => {
    expect(readImageHeader(content)).toEqual({ contentType, width, height });
  });

  it('returns undefined for other data and for a truncated header', () => {
    expect(readImageHeader(Buffer.alloc(0))).toBeUndefined();
    expect(readImageHeader(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeUndefined();
    expect(readImageHeader(bytes('ffd8 ffe0 0002 ffd9 00'))).toBeUndefined();
    for (const whole of [PNG.subarray(0, 24), bytes('ffd8 ffc0 000b 08 01e0 0280')])
      for (let length = 1; length < whole.length; length++)
        expect(readImageHeader(whole.subarray(0, length))).toBeUndefined();
  });
});
