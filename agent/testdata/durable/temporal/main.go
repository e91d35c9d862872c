// Command temporal is Temporal's server on a SQLite file, as its development
// server has it, with a worker and a client in the same process: a peer of
// TestFigure_DURABLE, which speaks to it in lines.
//
//	temporal FILE [tuned]
//
// As it is, it has the settings of that server. Tuned, the file has a write-ahead
// log, which needs one flush for a transaction where a journal needs four, and
// the queues of its only shard are read as often as there is something in them,
// not twenty times a second.
//
// It reads "ask NAME QUESTION", "answer NAME" and "forget", and writes "ready",
// "asked NAME" and "heard NAME" when the workflow is there, "accepted NAME" when
// the server has the answer, and "forgotten" when no workflow is in memory.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const queue = "asks"

var stdout sync.Mutex

func say(format string, args ...any) {
	stdout.Lock()
	defer stdout.Unlock()
	fmt.Printf(format+"\n", args...)
}

// Ask is the conversation: its question is its input, and it waits for a signal.
func Ask(ctx workflow.Context, _ string) (answer string, err error) {
	name := workflow.GetInfo(ctx).WorkflowExecution.ID
	if !workflow.IsReplaying(ctx) {
		say("asked %s", name)
	}
	workflow.GetSignalChannel(ctx, "answer").Receive(ctx, &answer)
	if !workflow.IsReplaying(ctx) {
		say("heard %s", name)
	}
	return answer, nil
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: temporal FILE [tuned]")
	}
	address, server, err := start(os.Args[1], slices.Contains(os.Args[2:], "tuned"))
	check(err)
	defer server.Stop()
	c, err := client.Dial(client.Options{HostPort: address, Logger: quiet{}})
	check(err)
	defer c.Close()
	w := work(c)
	say("ready")

	ctx := context.Background()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		word := strings.SplitN(lines.Text(), " ", 3)
		switch word[0] {
		case "ask":
			go func() {
				_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: word[1], TaskQueue: queue}, Ask, word[2])
				check(err)
			}()
		case "answer":
			go func() {
				check(c.SignalWorkflow(ctx, word[1], "", "answer", "PostgreSQL"))
				say("accepted %s", word[1])
			}()
		case "forget":
			w.Stop()
			worker.PurgeStickyWorkflowCache()
			w = work(c)
			say("forgotten")
		}
	}
	w.Stop()
}

func work(c client.Client) worker.Worker {
	w := worker.New(c, queue, worker.Options{MaxConcurrentWorkflowTaskPollers: 16})
	w.RegisterWorkflow(Ask)
	check(w.Start())
	return w
}

// start runs all services of a server on loopback.
func start(file string, tuned bool) (address string, _ temporal.Server, err error) {
	const name = "active" // of the only cluster
	store := &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: file, ConnectAttributes: map[string]string{"mode": "rwc"}}
	settings := dynamicconfig.StaticClient{
		dynamicconfig.FrontendPersistenceMaxQPS.Key(): 10000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():  45000,
	}
	if tuned {
		store.ConnectAttributes["journal_mode"], store.ConnectAttributes["synchronous"] = "wal", "full"
		settings[dynamicconfig.TransferProcessorMaxPollRPS.Key()] = 10000
		settings[dynamicconfig.VisibilityProcessorMaxPollRPS.Key()] = 10000
	}
	if err := sqlite.SetupSchema(store); err != nil {
		return "", nil, err
	}
	space, err := sqlite.NewNamespaceConfig(name, client.DefaultNamespace, false, nil)
	if err != nil {
		return "", nil, err
	}
	if err := sqlite.CreateNamespaces(store, space); err != nil {
		return "", nil, err
	}
	services, hosts := map[string]config.Service{}, map[primitives.ServiceName]static.Hosts{}
	for _, s := range []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	} {
		port := freePort()
		services[string(s)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: "127.0.0.1"}}
		hosts[s] = static.SingleLocalHost(fmt.Sprintf("127.0.0.1:%d", port))
	}
	address = fmt.Sprintf("127.0.0.1:%d", services[string(primitives.FrontendService)].RPC.GRPCPort)
	off := config.ArchivalNamespaceDefaults{
		History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
		Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
	}
	c := &config.Config{
		Global: config.Global{Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"}},
		Persistence: config.Persistence{
			DefaultStore: "file", VisibilityStore: "file", NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{"file": {SQL: store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: name, CurrentClusterName: name,
			ClusterInformation: map[string]cluster.ClusterInformation{name: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            services,
		Archival: config.Archival{
			History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: off},
		PublicClient:      config.PublicClient{HostPort: address},
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(c),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(serverlog.NewNoopLogger()),
		temporal.WithDynamicConfigClient(settings),
	)
	if err != nil {
		return "", nil, err
	}
	return address, server, server.Start()
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// quiet is a logger of the SDK that says nothing.
type quiet struct{}

var _ sdklog.Logger = quiet{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
