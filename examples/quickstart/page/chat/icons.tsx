import type { ReactNode } from 'react';

export function Logo(): ReactNode {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
    </svg>
  );
}

export const PlusIcon = (): ReactNode => <Icon path="M12 5v14M5 12h14" />;
export const MenuIcon = (): ReactNode => <Icon path="M4 7h16M4 12h16M4 17h10" />;
export const CloseIcon = (): ReactNode => <Icon path="M6 6l12 12M18 6L6 18" />;
export const SearchIcon = (): ReactNode => <Icon path="M11 4a7 7 0 100 14 7 7 0 000-14zM20 20l-4-4" />;
export const PencilIcon = (): ReactNode => <Icon path="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" />;
export const TrashIcon = (): ReactNode => <Icon path="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />;
export const CopyIcon = (): ReactNode => <Icon path="M9 9h11v11H9zM15 9V4H4v11h5" />;
export const CheckIcon = (): ReactNode => <Icon path="M5 12.5l4.5 4.5L19 7.5" />;
export const RetryIcon = (): ReactNode => <Icon path="M20 5v5h-5M19.5 10A8 8 0 1020 14" />;
export const SendIcon = (): ReactNode => <Icon path="M12 19V5M5.5 11.5L12 5l6.5 6.5" />;
export const StopIcon = (): ReactNode => <Icon path="M7 7h10v10H7z" filled />;
export const ClipIcon = (): ReactNode => (
  <Icon path="M20 11.5l-8.2 8.2a5 5 0 01-7-7L13 4.500a3.3 3.3 0 014.7 4.700l-8.2 8.200a1.7 1.7 0 01-2.4-2.400l7.5-7.5" />
);
export const FileIcon = (): ReactNode => <Icon path="M6 3h8l4 4v14H6zM14 3v4h4" />;
export const DownIcon = (): ReactNode => <Icon path="M12 5v14M5.5 12.500L12 19l6.5-6.5" />;
export const ChevronIcon = (): ReactNode => <Icon path="M9 6l6 6-6 6" />;
export const CrossIcon = (): ReactNode => <Icon path="M7 7l10 10M17 7L7 17" />;
export const PauseIcon = (): ReactNode => <Icon path="M9 6v12M15 6v12" />;
export const DeniedIcon = (): ReactNode => <Icon path="M12 4a8 8 0 100 16 8 8 0 000-16zM6.5 6.500l11 11" />;
export const AgentIcon = (): ReactNode => (
  <Icon path="M5 9h14v10H5zM12 9V5M12 5a1 1 0 100-2 1 1 0 000 2zM9 13v2M15 13v2M2 13v3M22 13v3" />
);
export const SunIcon = (): ReactNode => (
  <Icon path="M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.400M17.6 17.600L19 19M5 19l1.4-1.400M17.6 6.400L19 5" />
);
export const MoonIcon = (): ReactNode => <Icon path="M20 14.500A8.5 8.5 0 019.5 4a8.5 8.5 0 1010.5 10.500z" />;
export const ToolIcon = (): ReactNode => (
  <Icon path="M14.5 6.500a4 4 0 015-1.500l-3 3 .5 2.5 2.5.5 2.5-2.500a4 4 0 01-5.5 5L9 21l-3-3 7.5-7.500a4 4 0 011-4z" />
);
export const ShieldIcon = (): ReactNode => (
  <Icon path="M12 3l7 3v5.500c0 4.5-3 7.5-7 9.5-4-2-7-5-7-9.500V6zM9 12l2 2 4-4" />
);
export const MemoryIcon = (): ReactNode => <Icon path="M6 4h12v17l-6-4-6 4z" />;

function Icon({ filled = false, path }: { readonly filled?: boolean; readonly path: string }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" fill={filled ? 'currentColor' : 'none'}>
      <path d={path} stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
