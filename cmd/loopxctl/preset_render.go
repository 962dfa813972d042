package main

import "github.com/spf13/cobra"

func newPresetRender(p *program) *cobra.Command { return &cobra.Command{Use: "render"} }
