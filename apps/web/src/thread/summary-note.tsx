import { Icon } from '../frame/icon.js';
import { Markdown } from './markdown.js';

/** Where room was made: from here on the model reads this instead of what stands above. */
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
    <details className="aside-note">
      <summary>Earlier messages were summarised</summary>
      <div className="prose">
        <Markdown text={summary} isGrowing={false} />
      </div>
    </details>
  );
}
