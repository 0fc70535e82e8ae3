import type { ReactNode } from 'react';

function Icon({ path }: { readonly path: string }): ReactNode {
  return (
    <svg className="glyph" viewBox="0 0 20 20" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

export const PlusIcon = (): ReactNode => <Icon path="M10 4v12M4 10h12" />;
export const CloseIcon = (): ReactNode => <Icon path="m5 5 10 10M15 5 5 15" />;
export const LogIcon = (): ReactNode => <Icon path="M4 5h12M4 10h12M4 15h7" />;
export const SendIcon = (): ReactNode => <Icon path="M10 16V4M5 9l5-5 5 5" />;
export const AgainIcon = (): ReactNode => <Icon path="M15.5 8.5A6 6 0 1 0 16 11M16 4.5v4h-4" />;
export const StopIcon = (): ReactNode => <Icon path="M6.5 6.5h7v7h-7z" />;

export function CompassRose(): ReactNode {
  return (
    <svg className="rose" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="12.5" />
      <path d="M16 1 19 13 31 16 19 19 16 31 13 19 1 16 13 13z" />
    </svg>
  );
}
