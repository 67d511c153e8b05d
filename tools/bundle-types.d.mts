export declare function bundleTypes(options: {
  from: string;
  to: string;
  entries: Readonly<Record<string, string>>;
}): Promise<void>;
