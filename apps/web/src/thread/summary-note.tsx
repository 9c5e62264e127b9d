import { AsideNote } from '../frame/aside-note.js';
import { Icon } from '../frame/icon.js';
import { Markdown } from '../markdown/markdown.js';

/** The place of a summary: from here on, the model reads it instead of the messages above. */
export function SummaryNote({ summary }: { summary: string }) {
  if (summary === '') {
    return (
      <p className="turn-note">
        <Icon name="clock" />
        <span>Earlier results were shortened to make room.</span>
      </p>
    );
  }
  return (
    <AsideNote title="Earlier messages were summarised">
      <div className="prose">
        <Markdown text={summary} />
      </div>
    </AsideNote>
  );
}
