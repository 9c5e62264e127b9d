import { toCurrentKeywords } from './current-keywords.js';
import { flattenTop, type Converted } from './flatten-top.js';
import { stringsOf, toCanonicalJson, withNote, type JsonSchema } from './json-schema.js';
import { propertiesOf } from './schema-types.js';

const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf'];
/** The allowed names of a tool's arguments; nested names are not restricted. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Anthropic accepts JSON Schema 2020-12, but at the top only an object with plain properties. */
export function toAnthropicSchema(schema: JsonSchema): Converted {
  const { schema: flat, losses } = flattenTop(toCurrentKeywords(schema), REFUSED_AT_TOP);
  const properties = Object.entries(propertiesOf(flat));
  const odd = properties.filter(([name]) => !PROPERTY_NAME.test(name));
  if (odd.length === 0) return { schema: flat, losses };
  const left = properties.filter(([name]) => PROPERTY_NAME.test(name));
  const required = stringsOf(flat.required).filter((name) => PROPERTY_NAME.test(name));
  const note = `It also takes: ${toCanonicalJson(Object.fromEntries(odd))}`;
  return {
    schema: withNote({ ...flat, properties: Object.fromEntries(left), required }, note),
    losses: [...losses, ...odd.map(([name]) => ({ path: `/properties/${name}`, keyword: 'name' }))],
  };
}
