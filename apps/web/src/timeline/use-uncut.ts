import { useEffect, useState } from 'react';
import type { CallView } from '#contracts';
import { HttpError, readArtifact, readCall } from '../connection/http.js';
import { isTreeText } from './is-tree-text.js';

/** What of a call is read: as the model was given it, or with the whole output. */
export type Extent = 'model' | 'whole';

type Payloads = Pick<CallView, 'args' | 'result'>;

interface Uncut extends Payloads {
  extent: Extent;
  /** The cut result that it replaces. A call that was running has another one since. */
  replaces: CallView['result'];
}

/**
 * The arguments and the result of a call as they are shown: those of the view, which are cut, until more is asked for.
 * `left` is what more there is.
 */
export function useUncut(call: CallView, turnId: string) {
  const [uncut, setUncut] = useState<Uncut>();
  const [problem, setProblem] = useState<string>();
  const whole = call.artifacts?.find((artifact) => artifact.whole);
  const current = uncut && uncut.replaces === call.result ? uncut : undefined;

  const read = async (extent: Extent): Promise<Uncut> => {
    const [{ args, result }, output] = await Promise.all([
      call.truncated ? readCall(turnId, call.tool_call_id) : call,
      whole && extent === 'whole' ? readArtifact(whole.id).then((blob) => blob.text()) : undefined,
    ]);
    return { extent, replaces: call.result, args, result: output ?? result };
  };
  const show = (extent: Extent) => {
    setProblem(undefined);
    read(extent).then(setUncut, (error: unknown) => {
      setProblem(error instanceof HttpError ? error.message : 'It could not be read.');
    });
  };
  // JSON in part is no tree. What has an artifact may have megabytes, so there somebody asks.
  const isCutTree = call.truncated && !whole && isTreeText(call.result ?? '');
  useEffect(() => {
    if (isCutTree) show('whole');
  }, [isCutTree, call.result]);
  const left: Extent[] = [];
  if (call.truncated && current?.extent !== 'whole') left.push('whole');
  if (whole && current?.extent !== 'model') left.push('model');
  const shown: Payloads = current ?? call;
  const isWhole = !call.truncated || current?.extent === 'whole';
  return { shown, isWhole, left, show, read, problem };
}
