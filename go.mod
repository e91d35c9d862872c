module github.com/saysohq/sayso

go 1.25
