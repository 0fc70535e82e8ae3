import { type DragEvent, useState } from 'react';

export interface FileDrop {
  readonly isDragging: boolean;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

/** Makes an element accept files that are dragged onto it. */
export function useFileDrop(onFiles: (files: readonly File[]) => void): FileDrop {
  const [isDragging, setIsDragging] = useState(false);
  return {
    isDragging,
    onDragOver: (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setIsDragging(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setIsDragging(false);
    },
    onDrop: (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      setIsDragging(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
}
