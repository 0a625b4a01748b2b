// A whole worker for one job type in each language of the SDKs, to copy and run, and what it takes to run it.

export const LANGUAGES = ["TypeScript", "Go", "Java", "Python"] as const
export type Language = (typeof LANGUAGES)[number]

interface Place {
  readonly jobType: string
  /** The address of the engine by which the page was reached. */
  readonly url: string
}

interface SetUp {
  /** The name that the worker is saved under. */
  readonly file: string
  /** One line for a shell in the folder of that file, with a clone of Millrace beside the folder. */
  readonly install: string
  readonly run: string
  /** Says more; within the clone. */
  readonly readme: string
}

const GO_MODULE = "github.com/millrace/millrace/sdks/go"
const GO_NEEDS = `-require ${GO_MODULE}@v0.0.0 -replace ${GO_MODULE}=../millrace/sdks/go`

export const SET_UP: Readonly<Record<Language, SetUp>> = {
  TypeScript: {
    file: "worker.mts",
    install: "(cd ../millrace && npm pack --workspace sdks/typescript) && npm install ../millrace/millrace-sdk-*.tgz",
    run: "npx tsx worker.mts",
    readme: "sdks/typescript/README.md",
  },
  Go: {
    file: "main.go",
    install: `go mod init worker && go mod edit ${GO_NEEDS} && go mod tidy`,
    run: "go run main.go",
    readme: "sdks/go/README.md",
  },
  Java: {
    file: "Worker.java",
    install: "mvn -f ../millrace/sdks/java/pom.xml -pl sdk -am install -DskipTests",
    run: "java -cp '../millrace/sdks/java/sdk/target/*' Worker.java",
    readme: "sdks/java/README.md",
  },
  Python: {
    file: "worker.py",
    install: "pip install ../millrace/sdks/python",
    run: "python worker.py",
    readme: "sdks/python/README.md",
  },
}

/** The type may hold anything: as JSON it is a string of all four languages. */
export const workerCode = (language: Language, { jobType, url }: Place): string =>
  CODE[language](JSON.stringify(jobType), JSON.stringify(url))

const CODE: Readonly<Record<Language, (jobType: string, url: string) => string>> = {
  TypeScript: (jobType, url) => `import { EngineClient, type Job, Runner } from "@millrace/sdk"

const client = new EngineClient({ url: ${url}, apiKey: process.env.MILLRACE_KEY })
const handlers = {
  ${jobType}: async (job: Job) => {
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
	"syscall"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
