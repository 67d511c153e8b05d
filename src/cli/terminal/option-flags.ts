/** The options that hints of the client name in backticks, and that a command has as flags. */
const OPTIONS =
  /`(kubeconfig|context|server|user|token|as|asUserExtra|requestTimeout|tlsServerName|certificateAuthority|clientCertificate|clientKey|kubectl-informer\/sandbox)`/g;

/** The hint of an error for a person at the command line: options of the library are flags there. */
export function optionsAsFlags(hint: string): string {
  return hint.replace(OPTIONS, (_, option: string) => {
    const name = option.replace('kubectl-informer/', '');
    return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  });
}
