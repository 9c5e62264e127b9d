import unhomoglyph from 'unhomoglyph';

/**
 * Characters seen as a blank or not at all, except an ordinary space: other spaces and separators, controls, letters and
 * joiners that are drawn empty (U+115F, U+3164, …), U+2800, and code points without a picture of their own.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/u;

/** An ordinary letter or digit is needed: a name of marks or signs alone can look like nothing. */
const SEEN = /[\p{L}\p{N}]/u;

export function isVisible(name: string): boolean {
  return !UNSEEN.test(name) && SEEN.test(name);
}

/**
 * Names that look alike have the same one (the skeleton of Unicode TR39). It is taken of the name as written and
 * again in small letters, because an account is found in any case: `Ian`, `ian`, `lan` and a Cyrillic `іаn` are one.
 */
export function confusableSkeleton(name: string): string {
  const small = skeletonOf(name.normalize('NFKC')).toLowerCase();
  return skeletonOf(small).toLowerCase().replaceAll('i', 'l').replaceAll(/ +/g, ' ');
}

function skeletonOf(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}
