// A whole worker for one job type in each language of the SDKs, to copy and run.

export const LANGUAGES = ["TypeScript", "Go", "Java", "Python"] as const
export type Language = (typeof LANGUAGES)[number]

interface Place {
  readonly jobType: string
  /** Of the engine, as the page was reached. */
  readonly url: string
}

/** The type may hold anything: as JSON it is a string of all four languages. */
export const workerCode = (language: Language, { jobType, url }: Place): string =>
  CODE[language](JSON.stringify(jobType), JSON.stringify(url))

const CODE: Readonly<Record<Language, (jobType: string, url: string) => string>> = {
  TypeScript: (jobType, url) => `import { EngineClient, Runner } from "@millrace/sdk"

const client = new EngineClient({ url: ${url}, apiKey: process.env.MILLRACE_KEY })
const handlers = {
  ${jobType}: async (job) => {
    console.log("attempt", job.attempt, job.variables)
    return { done: true }
  },
}
await new Runner({ client, handlers, workerId: "worker-1", stopOn: ["SIGINT", "SIGTERM"] }).run()
`,
  Go: (jobType, url) => `package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

func main() {
	client, err := millrace.New(${url}, millrace.WithAPIKey(os.Getenv("MILLRACE_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	handlers := worker.Handlers(map[string]worker.Handler{
		${jobType}: func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
			log.Println("attempt", job.Attempt, job.Variables)
			return millrace.Variables{"done": true}, nil
		},
	})
	w, err := worker.New(client, "worker-1", handlers)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w.Run(ctx)
}
`,
  Java: (jobType, url) => `import dev.millrace.EngineClient;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Runner;
import java.util.Map;

public class Worker {
  public static void main(String[] args) {
    HandlerRegistry handlers = new HandlerRegistry();
    handlers.register(${jobType}, (job, context) -> {
      System.out.println("attempt " + job.attempt() + " " + job.variables());
      return Map.of("done", true);
    });
    try (EngineClient client = EngineClient.builder(${url}).apiKey(System.getenv("MILLRACE_KEY")).build()) {
      Runner.builder(client, handlers, "worker-1").build().run();
    }
  }
}
`,
  Python: (jobType, url) => `import asyncio
import os
import signal

from millrace import EngineClient, HandlerContext, Job, Runner


async def handle(job: Job, context: HandlerContext) -> dict[str, bool]:
    print("attempt", job.attempt, job.variables)
    return {"done": True}


async def main() -> None:
    async with EngineClient(${url}, api_key=os.environ.get("MILLRACE_KEY")) as client:
        handlers = {${jobType}: handle}
        await Runner(client, handlers, worker_id="worker-1", stop_on=[signal.SIGINT, signal.SIGTERM]).run()


asyncio.run(main())
`,
}
