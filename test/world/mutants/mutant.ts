import type { Edit } from '../bundle.js';
import type { Search } from '../search.js';

/** A mistake in the product that some world shows. */
export interface Mutant {
  /** What the product does wrong. */
  name: string;
  edit: Edit;
  /** Where it is looked for; by default a few worlds from the first one on. */
  search?: Partial<Search>;
}
