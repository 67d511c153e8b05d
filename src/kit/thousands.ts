/** A whole number with its thousands apart: `12,345`. Without Intl, whose first use takes a quarter of a start. */
export const thousands = (count: number): string => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
