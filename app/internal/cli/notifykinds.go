package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify"
)

func (n *notifications) addDesktop() *cobra.Command {
	return n.adds(&cobra.Command{
		Use:   "desktop",
		Short: "Notify on this desktop",
		Long: `Show notifications on the desktop of this machine. You can answer short questions
there, and a click opens the question in your browser. It works where a program shows
notifications for others over D-Bus: GNOME, KDE, dunst, mako.`,
		Example: `  sayso notify add desktop`,
		Args:    console.NoArgs,
	}, &adding{kind: notify.Desktop})
}

func (n *notifications) addTerminal() *cobra.Command {
	return n.adds(&cobra.Command{
		Use:   "terminal",
		Short: "Notify in this terminal",
		Long: `Notify in this terminal: with a notification if your terminal program shows them, and
else with a beep. It ends when you close the terminal.`,
		Example: `  sayso notify add terminal`,
		Args:    console.NoArgs,
	}, &adding{kind: notify.Terminal, fill: n.fillTerminal})
}

func (n *notifications) addProgram() *cobra.Command {
	return n.adds(&cobra.Command{
		Use:   "command",
		Short: "Run a program of yours",
		Long: `Run the program that the setting notify-command names, for every notification. It
gets the notification as JSON on its standard input.`,
		Example: `  sayso notify add command`,
		Args:    console.NoArgs,
	}, &adding{kind: notify.Command})
}

func (n *notifications) addPush() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Notify in a browser or on a phone",
		Long: `Say how to get push notifications in a browser, also while the page is closed, and on
a phone. You turn them on in the browser itself: it asks you for permission.`,
		Example: `  $ sayso notify add push`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, all, err := n.notified(cmd.Context())
			if err != nil {
				return err
			}
			if n.json {
				return n.PrintJSON(map[string]string{"public": all.Public})
			}
			if all.Public == "" {
				return n.Print("Your inbox can be reached from this machine only. For a browser here: run sayso web, then select Notify me.\nFor a phone: run sayso web --phone, which gives it a way to this machine.")
			}
			return n.Print("On the device: sign in to " + all.Public + " and select Notify me. To sign a phone in, scan the code of: sayso web --qr")
		},
	}
	return cmd
}

func (n *notifications) addTelegram() *cobra.Command {
	var file string
	var t localhub.TelegramService
	cmd := &cobra.Command{
		Use:   "telegram",
		Short: "Notify in Telegram",
		Long: `Get notifications from a Telegram bot of yours, and answer there. Make the bot with
@BotFather and put its token into a file. sayso prints a link that connects your
Telegram account, once and within 10 minutes.

The hub keeps the token in its folder. Who has it can answer in your name. To connect
another account to the same bot, leave out --token-file.`,
		Example: `  sayso notify add telegram --token-file bot.token`,
		Args:    console.NoArgs,
	}
	cmd.Flags().StringVar(&file, "token-file", "", "`file` with the token of the bot")
	cmd.Flags().StringVar(&t.API, "api", "", "`address` of the Bot API, if you run your own (default: https://api.telegram.org)")
	return n.adds(cmd, &adding{
		kind: notify.Telegram,
		fill: func(cmd *cobra.Command, _ []string, d *localhub.NewDevice) (err error) {
			if file == "" && t.API != "" {
				return console.Usage("--api needs --token-file").Next("Example: sayso notify add telegram --token-file bot.token --api %s.", t.API)
			}
			if t.Token, err = secretIn("token-file", file); err == nil && file != "" {
				d.Telegram = &t
			}
			return err
		},
		next: func(*localhub.AddedDevice) string {
			return "Open this link on your phone or computer and press Start. It works once, within 10 minutes:"
		},
	})
}

func (n *notifications) addSlack() *cobra.Command {
	var bot, app string
	var s localhub.SlackService
	cmd := &cobra.Command{
		Use:   "slack",
		Short: "Notify in Slack",
		Long: `Get notifications as direct messages from a Slack app of yours, and answer there. Put
the app's two tokens into files. sayso prints a command that connects your Slack
account, once and within 10 minutes: type it in Slack.

The hub keeps the tokens in its folder. Who has them can answer in your name. To
connect another account to the same app, leave out the tokens.`,
		Example: `  sayso notify add slack --bot-token-file bot.token --app-token-file app.token`,
		Args:    console.NoArgs,
	}
	cmd.Flags().StringVar(&bot, "bot-token-file", "", "`file` with the bot token (xoxb-…)")
	cmd.Flags().StringVar(&app, "app-token-file", "", "`file` with the app-level token (xapp-…)")
	cmd.Flags().StringVar(&s.API, "api", "", "`address` of Slack's Web API (default: https://slack.com/api)")
	return n.adds(cmd, &adding{
		kind: notify.Slack,
		fill: func(cmd *cobra.Command, _ []string, d *localhub.NewDevice) (err error) {
			if (bot == "") != (app == "") || bot == "" && s.API != "" {
				return console.Usage("--bot-token-file and --app-token-file must be given together").Next("Example: sayso notify add slack --bot-token-file bot.token --app-token-file app.token.")
			}
			if s.BotToken, err = secretIn("bot-token-file", bot); err != nil {
				return err
			}
			if s.AppToken, err = secretIn("app-token-file", app); err == nil && bot != "" {
				d.Slack = &s
			}
			return err
		},
		next: func(a *localhub.AddedDevice) string {
			return fmt.Sprintf("In Slack, type this into any message field and send it. It works once, within 10 minutes:\n  /sayso %s", a.Code)
		},
	})
}

func (n *notifications) addWebhook() *cobra.Command {
	return n.adds(&cobra.Command{
		Use:   "webhook URL",
		Short: "Notify a program at a URL",
		Long: `Send a signed request to a URL whenever a question is asked or closed, for a program
that notifies people in its own way. It prints the secret for checking the signature.`,
		Example: `  sayso notify add webhook https://hooks.example.com/sayso`,
		Args:    console.Arg("a URL", "Example: sayso notify add webhook https://hooks.example.com/sayso."),
	}, &adding{kind: notify.Webhook, fill: fillURL})
}

func (n *notifications) addNtfy() *cobra.Command {
	var file, topic string
	cmd := &cobra.Command{
		Use:   "ntfy URL",
		Short: "Notify through an ntfy server",
		Long: `Publish notifications to a topic of an ntfy server. On a public server everybody who
knows the topic can read them, so they only say that a question waits.

With --token-file and --answer-topic, on a server of your own, you can also answer:
the buttons post to the second topic, which the hub reads.`,
		Example: `  sayso notify add ntfy https://ntfy.sh/my-secret-topic`,
		Args:    console.Arg("the URL of a topic", "Example: sayso notify add ntfy https://ntfy.sh/my-secret-topic."),
	}
	cmd.Flags().StringVar(&file, "token-file", "", "`file` with the access token of the hub at the server")
	cmd.Flags().StringVar(&topic, "answer-topic", "", "`topic` for answers")
	return n.adds(cmd, &adding{kind: notify.Ntfy, fill: func(cmd *cobra.Command, args []string, d *localhub.NewDevice) error {
		token, err := secretIn("token-file", file)
		if err != nil {
			return err
		}
		if topic != "" && token == "" {
			return console.Usage("--answer-topic needs --token-file").Next("On a server that everybody can write to, anybody could answer. Help: sayso notify add ntfy --help.")
		}
		d.Ntfy = &localhub.NtfyTopic{URL: args[0], Token: token, Answers: topic}
		return nil
	}})
}

func (n *notifications) addMail() *cobra.Command {
	var file string
	var m localhub.MailService
	cmd := &cobra.Command{
		Use:   "mail ADDRESS",
		Short: "Notify by mail",
		Long: `Send mail that a question waits, with a link to it. You cannot answer by mail. Name
the mail server once; the hub keeps it, with the password, in its folder.`,
		Example: `  sayso notify add mail ann@example.com --smtp smtp.example.com:587 --from sayso@example.com`,
		Args:    console.Arg("a mail address", "Example: sayso notify add mail ann@example.com."),
	}
	f := cmd.Flags()
	f.StringVar(&m.SMTP, "smtp", "", "`address` of the mail server, with its port")
	f.StringVar(&m.From, "from", "", "`address` that the mail comes from")
	f.StringVar(&m.User, "user", "", "`name` of the user at the mail server (default: it asks for none)")
	f.StringVar(&file, "password-file", "", "`file` with the password of that user")
	return n.adds(cmd, &adding{kind: notify.Mail, fill: func(cmd *cobra.Command, args []string, d *localhub.NewDevice) (err error) {
		if (m.SMTP == "") != (m.From == "") || (m.User == "") != (file == "") || m.User != "" && m.SMTP == "" {
			return console.Usage("--smtp and --from must be given together, and so must --user and --password-file").
				Next("Example: sayso notify add mail %s --smtp smtp.example.com:587 --from sayso@example.com.", args[0])
		}
		if m.Password, err = secretIn("password-file", file); err == nil && m.SMTP != "" {
			d.Mail = &m
		}
		d.To = args[0]
		return err
	}})
}

func fillURL(_ *cobra.Command, args []string, d *localhub.NewDevice) error {
	d.To = args[0]
	return nil
}
