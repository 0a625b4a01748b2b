// The little of Markdown that the contract's texts use: paragraphs, lists, code, bold. It makes elements, never markup.
import { Fragment } from "react"

export function Prose({ text }: { readonly text: string }) {
  return (
    <div className="flex max-w-prose flex-col gap-2">
      {text
        .trim()
        .split(/\n\s*\n/)
        .map((block) =>
          /^[-*] /.test(block) ? (
            <ul key={block} className="list-disc pl-5">
              {block.split(/\n[-*] /).map((item) => (
                <li key={item}>
                  <Line text={item.replace(/^[-*] /, "")} />
                </li>
              ))}
            </ul>
          ) : (
            <p key={block}>
              <Line text={block} />
            </p>
          ),
        )}
    </div>
  )
}

export const Line = ({ text }: { readonly text: string }) =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no name but their place.
    if (part.startsWith("`")) return <code key={index}>{part.slice(1, -1)}</code>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no name but their place.
    if (part.startsWith("**")) return <b key={index}>{part.slice(2, -2)}</b>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no name but their place.
    return <Fragment key={index}>{part}</Fragment>
  })
