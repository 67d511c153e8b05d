export declare function bundleTypes(options: {
  from: string;
  to: string;
  entries: Readonly<Record<string, string>>;
}): Promise<void>;
export declare function unnamedTypes(options: {
  from: string;
  entries: Readonly<Record<string, string>>;
}): Readonly<Record<string, readonly string[]>>;
