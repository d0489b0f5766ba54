/** Colors, fonts and elements of the charts. */
export const colors = {
  ground: '#ffffff',
  shade: '#fbe9dd',
  grid: '#dfe3e8',
  text: '#1f2933',
  faint: '#5f6c7b',
  cool: '#2b6cb0',
  warm: '#c2410c',
};

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Left edge of the title and subtitle, px. */
  readonly left: number;
  readonly title: string;
  readonly subtitle: string;
}

/** Returns an SVG with a title and a subtitle above its content. */
export function picture({ width, height, left, title, subtitle }: Picture, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"` +
      ` viewBox="0 0 ${width} ${height}" font-family="system-ui, Helvetica, Arial, sans-serif" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colors.ground}"/>`,
    text(left, 28, title, { size: 17, weight: 600 }),
    text(left, 49, subtitle, { size: 12.5, fill: colors.faint }),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

export interface TextStyle {
  readonly size: number;
  readonly fill?: string;
  readonly weight?: number;
  readonly anchor?: 'middle' | 'end';
}

export function text(x: number, y: number, content: string, style: TextStyle): string {
  const { size: fontSize, fill = colors.text, weight = 400, anchor = 'start' } = style;
  const look = `font-size="${fontSize}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}"`;
  return `<text x="${round(x)}" y="${round(y)}" ${look}>${escape(content)}</text>`;
}

export function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
