import { InformerError } from '../kit/error.ts';

/** Source: the reference grammar of distribution, github.com/distribution/reference regexp.go. */
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:(?:[A-Za-z0-9.-]+|\\[[0-9a-fA-F:]+\\])(?::\\d+)?/)?${PART}(?:/${PART})*(?<tag>:\\w[\\w.-]{0,127})?(?<digest>@[A-Za-z][\\w+.-]*:[0-9a-fA-F]{32,})?$`,
);

/** The image of a Pod, and what is worth knowing about it. Throws `argument` for one that is missing or cannot exist. */
export function checkedImage(image: string | undefined, called: string): { image: string; remarks: string[] } {
  if (image === undefined)
    throw new InformerError('argument', 'manifest needs --image: the name of an image with Node and kubectl-informer', {
      hint: `'${called} --dockerfile' prints one to build: ${called} --dockerfile | docker build -t IMAGE -`,
    });
  const found = IMAGE.exec(image)?.groups;
  if (!found)
    throw new InformerError('argument', `--image: ${JSON.stringify(image)} cannot be the name of an image`, {
      hint: 'such as registry.example.com/team/kubectl-informer:0.1.0, in lower case but for the tag',
    });
  const isOpen = found.digest === undefined && (found.tag === undefined || found.tag === ':latest');
  const remarks = isOpen ? [`the image ${image} has no version: a Pod that starts later may run another one`] : [];
  return { image, remarks };
}
