// What the five steps do: a plain function each. The variables of the analysis come in, what it returns is merged into them.
import { type JobCall, job, NonRetryableError } from "millrace"
import { call, type Slide, unreachable } from "./lab.ts"

export const uploadImage = job("upload-image", async (slide: JobCall<Slide>) => {
  const { file } = slide.payload
  // Another try would not help: it is not tried again, and is a dead letter at once.
  if (!/\.(svs|ndpi|tiff)$/.test(file)) throw new NonRetryableError(`${file} is not an image of a slide`)
  await call("upload-image", slide, "the archive is busy")
  return { image: `archive/${file}` }
})

export const makeTiles = job("make-tiles", async (slide: JobCall<Slide & { image: string }>) => {
  await call("make-tiles", slide, "the disk is full")
  return { tiles: `${slide.payload.image}/tiles` }
})

export const predict = job("predict", async (slide: JobCall<Slide & { tiles: string }>) => {
  await call("predict", slide, "the GPU is busy") // any other error is tried again
  return { cells: 4_211, tumour: 0.18 }
})

export const postProcess = job("post-process", async (slide: JobCall<Slide & { cells: number }>) => {
  const { site, cells } = slide.payload
  if (unreachable.has(site)) throw new Error(`the line to ${site} is down`)
  await call("post-process", slide, "the annotations are locked")
  return { annotations: cells }
})

export const writeReport = job("write-report", async (slide: JobCall<Slide & { tumour: number }>) => {
  await call("write-report", slide, "the printer is on fire")
  // The key is the same at every attempt: one report, however often it is written.
  return { report: `report ${slide.key}` }
})
