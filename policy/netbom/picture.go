package netbom

import (
	"fmt"
	"unicode/utf8"
)

// Sizes of the picture, in units of its view box.
const (
	pictureWidth = 960
	hostsRight   = 360 // where the boxes of hosts end
	stepsLeft    = 560 // where those of steps begin
	rowHeight    = 34
	boxHeight    = 26
	topMargin    = 40
	maxBoxes     = 40
	maxLabel     = 44 // in characters
)

// picture draws hosts, steps, and lines between them.
type picture struct {
	Width, Height int
	Hosts, Steps  []box
	Lines         []line
	// More says what is left out, "" if nothing.
	More string
}

type box struct {
	X, Y, Width, Height int
	TextX, TextY        int
	Label               string
	Over                Over // of a host
}

type line struct {
	X1, Y1, X2, Y2 int
	// Bend is the x of the curve's two control points.
	Bend int
	Over Over
	// Title says what the line says.
	Title string
}

// unrecorded stands for where something came from that is not recorded.
const unrecorded = "(address not recorded)"

// newPicture draws an image's build; nil if there is nothing to draw.
func newPicture(img Image) *picture {
	hosts := img.Hosts()
	if h := img.nowhere(); len(h.Steps) > 0 {
		hosts = append(hosts, h)
	}
	if len(hosts) == 0 {
		return nil
	}
	p := &picture{Width: pictureWidth}
	if len(hosts) > maxBoxes {
		p.More = fmt.Sprintf("%d more hosts are in the table only. ", len(hosts)-maxBoxes)
		hosts = hosts[:maxBoxes]
	}
	rows := map[int]int{} // of steps
	for i := range img.Steps {
		if !touches(hosts, i) {
			continue
		}
		if len(p.Steps) == maxBoxes {
			p.More += "Steps are left out of the picture; the tables have them."
			break
		}
		rows[i] = len(p.Steps)
		p.Steps = append(p.Steps, newBox(stepsLeft, pictureWidth-stepsLeft, len(p.Steps), stepLabel(img.Steps[i])))
	}
	for i, h := range hosts {
		b := newBox(0, hostsRight, i, h.Name)
		b.Over = h.Over
		p.Hosts = append(p.Hosts, b)
		for _, s := range h.Steps {
			if row, ok := rows[s.Step]; ok {
				p.Lines = append(p.Lines, line{
					X1: hostsRight, Y1: middle(i), X2: stepsLeft, Y2: middle(row), Bend: (hostsRight + stepsLeft) / 2, Over: s.Over,
					Title: h.Name + ": " + s.Over.Words() + ", " + stepLabel(img.Steps[s.Step]),
				})
			}
		}
	}
	p.Height = topMargin + rowHeight*max(len(p.Hosts), len(p.Steps))
	return p
}

// nowhere gathers the fetches without a host that were none from this machine.
func (img *Image) nowhere() Host {
	h := Host{Name: unrecorded, Over: Local}
	for i, s := range img.Steps {
		for _, f := range s.Fetches {
			if f.Host == "" && f.Over != Local {
				h.Fetches++
				h.add(i, f.Over)
				if worse(f.Over, h.Over) {
					h.Over = f.Over
				}
			}
		}
	}
	return h
}

func touches(hosts []Host, step int) bool {
	for _, h := range hosts {
		for _, s := range h.Steps {
			if s.Step == step {
				return true
			}
		}
	}
	return false
}

func middle(row int) int { return topMargin + row*rowHeight + boxHeight/2 }

func newBox(x, width, row int, label string) box {
	return box{
		X: x, Y: topMargin + row*rowHeight, Width: width, Height: boxHeight,
		TextX: x + 10, TextY: middle(row) + 5, Label: shorten(label, maxLabel*width/hostsRight),
	}
}

// stepLabel names a step in the picture.
func stepLabel(s Step) string {
	if s.Line > 0 {
		return fmt.Sprintf("%d: %s", s.Line, s.Text)
	}
	return s.Text
}

// shorten cuts a text after a number of characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
