/** `anthropic/claude-…` → `anthropic`; `demo` → `demo`. */
export function providerOf(model: string): string {
  const at = model.indexOf('/');
  return at < 0 ? model : model.slice(0, at);
}

/** `anthropic/claude-…` → `claude-…`. */
export function withoutProvider(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
