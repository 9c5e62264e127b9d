import { MAX_FRAME_VALUES } from './body-limits.js';
import { meterOf } from './json-meter.js';

/** Whether parsing a text on the event loop would take too long for its number of values. Most texts are too short for it. */
export function exceedsFrameValues(text: string): boolean {
  return text.length > MAX_FRAME_VALUES && meterOf(text).values > MAX_FRAME_VALUES;
}
