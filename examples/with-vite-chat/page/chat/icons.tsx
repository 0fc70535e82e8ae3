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
export const DownIcon = (): ReactNode => <Icon path="M10 4v12M5 11l5 5 5-5" />;
export const CheckIcon = (): ReactNode => <Icon path="m4 11 4 4 8-9" />;
export const CopyIcon = (): ReactNode => <Icon path="M7.5 7.5h8v8h-8zM4.500 12.500v-8h8" />;
export const StopIcon = (): ReactNode => <Icon path="M6.5 6.5h7v7h-7z" />;

export const PencilIcon = (): ReactNode => (
  <Icon path="m4 16 1-3.500 8.500-8.500 2.500 2.500L7.500 15zM11.500 6 14 8.500" />
);
export const ClipIcon = (): ReactNode => (
  <Icon path="m16.500 9.500-6.700 6.700a4 4 0 0 1-5.700-5.700L10.800 3.800a2.700 2.700 0 0 1 3.800 3.800l-6.700 6.700a1.300 1.300 0 0 1-1.900-1.900l6.200-6.200" />
);
