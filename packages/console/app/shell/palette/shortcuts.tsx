import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { isTyping } from '../../ui/is-typing.ts';
import styles from './palette.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }));

/** Opens the palette by Ctrl K or by its button, and the list of keys by `?`. Both are loaded then. */
export function Shortcuts(): ReactNode {
  const [shown, setShown] = useState<'palette' | 'keys'>();
  const [wasOpened, setOpened] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isKeys = event.key === '?' && !isTyping(event);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      setShown(isPalette ? 'palette' : 'keys');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  if (shown !== undefined && !wasOpened) setOpened(true);
  const close = (): void => setShown(undefined);
  return (
    <>
      <button type="button" className={styles.open} onClick={() => setShown('palette')}>
        <Icon name="search" /> Go to <kbd>Ctrl K</kbd>
      </button>
      <Suspense>
        {wasOpened && (
          <>
            <Palette isOpen={shown === 'palette'} onClose={close} onKeys={() => setShown('keys')} />
            <KeysDialog isOpen={shown === 'keys'} onClose={close} />
          </>
        )}
      </Suspense>
    </>
  );
}
