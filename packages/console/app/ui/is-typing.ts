/** Whether a key belongs to the element or to a browser's shortcut, and not to the page. */
export function isTyping({ altKey, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey) return true;
  return (target as Element).matches('input, textarea, select, [contenteditable], [role=dialog], [role=dialog] *');
}
