import type { ImageType } from '#contracts';

/** A picture that every model provider accepts, as its first bytes describe it. */
export interface ImageHeader {
  contentType: ImageType;
  width: number;
  height: number;
}

/** The errors of reading beyond the end. */
const CUT_OFF = new Set<string | undefined>(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS']);

/** The header of an image file, whatever its server claims; undefined if the file is none of the four kinds. */
export function readImageHeader(content: Uint8Array): ImageHeader | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  try {
    return readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  } catch (error) {
    if (CUT_OFF.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';

function readPng(bytes: Buffer): ImageHeader | undefined {
  if (bytes.toString('latin1', 0, 8) !== PNG_SIGNATURE || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  return { contentType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageHeader | undefined {
  if (!/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))) return undefined;
  return { contentType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebp(bytes: Buffer): ImageHeader | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  const contentType = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return {
        contentType,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    case 'VP8L': {
      const sides = bytes.readUInt32LE(21);
      return { contentType, width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { contentType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** The size is in the first frame header, after any number of other segments. */
function readJpeg(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 3 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    if (isFrameHeader(marker)) {
      return {
        contentType: 'image/jpeg',
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
      };
    }
    at += segmentLength(bytes, at, marker);
  }
  return undefined;
}

/** The length of a segment with its marker. A fill byte is not a marker, and some markers have no segment. */
function segmentLength(bytes: Buffer, at: number, marker: number): number {
  if (marker === 0xff) return 1;
  const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9);
  return isBare ? 2 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
