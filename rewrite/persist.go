package rewrite

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/aptscript"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// block are the lines that the text has for apt to be kept in the image: what
// persist inserts. They hold no instruction of the author's.
type block struct {
	first, last int // lines
	start, end  int // bytes
	image       string
	route       string // the operator's table, as JSON; "" for the built-in one
}

// The lines around a block.
const (
	blockHead = "# loopx: apt over TLS, kept in the image (loopxctl rewrite --apt=persist)"
	blockTail = "# loopx: end"
)

// bodyOfOurs is what is between them: the user, the certificate authorities, and
// the script. Its groups are the image and the script.
var bodyOfOurs = regexp.MustCompile(`^(?:USER root\n)?COPY --from=([^,\s]+@sha256:[0-9a-f]{64}) ` +
	regexp.QuoteMeta(ImageCA+"/ca.crt "+aptscript.Bundle) + `\nRUN ((?s:.+?)done)\n(?:USER [^\s]+\n)?$`)

// findBlocks finds the blocks of a text, in their order. What is not word for word
// of the form that persist writes is none: the author's instructions are read.
func findBlocks(src *source, escape byte) []block {
	var all []block
	if !strings.Contains(src.text, blockHead) {
		return nil
	}
	for n := 1; n <= len(src.start); n++ {
		i, j, _ := src.line(n)
		table, head := strings.CutPrefix(strings.TrimRight(src.text[i:j], "\r\n"), blockHead)
		if !head {
			continue
		}
		for end := n + 1; end <= len(src.start); end++ {
			k, l, _ := src.line(end)
			if strings.TrimRight(src.text[k:l], "\r\n") != blockTail {
				continue
			}
			if m := bodyOfOurs.FindStringSubmatch(strings.ReplaceAll(src.text[j:k], "\r\n", "\n")); m != nil && isScript(m[2], escape) {
				all = append(all, block{n, end, i, l, m[1], strings.TrimPrefix(table, " ")})
				n = end
			}
			break
		}
	}
	return all
}

// isScript reports whether the lines of a RUN are those of aptscript.
func isScript(text string, escape byte) bool {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i > 0 {
			l, _ = strings.CutPrefix(l, "    ")
		}
		if i < len(lines)-1 {
			var ok bool
			if l, ok = strings.CutSuffix(l, string(escape)); !ok {
				return false
			}
		}
		lines[i] = l
	}
	return aptscript.Is(lines)
}

// inBlock reports whether an instruction is one that persist inserted, and makes
// the stage remember.
func (p *planner) inBlock(st *stage, in *instruction) bool {
	i := slices.IndexFunc(p.blocks, func(b block) bool { return b.first < in.node.StartLine && in.node.EndLine < b.last })
	if i < 0 {
		return false
	}
	if st != nil && (st.block == nil || *st.block != p.blocks[i]) {
		st.persisted, st.block = true, &p.blocks[i]
		p.renew(st)
	}
	return true
}

// renew makes the edit that puts the block as it would be written now in the place
// of the stage's.
func (p *planner) renew(st *stage) {
	c := p.cfg.Carry
	if c == nil || !c.Persist {
		return
	}
	text, err := p.blockText(st, st.block)
	if old := p.file.src.text[st.block.start:st.block.end]; err == nil && text != old {
		p.inserts = append(p.inserts, Edit{Start: st.block.start, End: st.block.end, New: text})
	}
}

// persist inserts a block before the instruction, if the stage has none.
func (p *planner) persist(st *stage, in *instruction, g *Guard) {
	switch c := p.cfg.Carry; {
	case st.persisted:
		g.Carried = true
		return
	case c.Image == "":
		g.Lacks = !g.Shown
		return
	}
	at, why := p.unpersisted(st, in)
	if why != "" {
		g.Unfit = why
		return
	}
	text, err := p.blockText(st, nil)
	if err != nil { // New has compiled the table
		g.Unfit = err.Error()
		return
	}
	edit := Edit{Start: at, End: at, New: text}
	p.inserts = append(p.inserts, edit)
	g.Carried, g.Edits, st.persisted = true, []Edit{edit}, true
}

// unpersisted returns where a block goes, or why it can't.
func (p *planner) unpersisted(st *stage, in *instruction) (at int, why string) {
	if !isShellForm(synthetic(st.shell)) {
		return 0, `the shell is "` + strings.Join(st.shell, " ") + `", and lines of sh have to go before it: put SHELL ["/bin/sh", "-c"] above it`
	}
	if st.platform != "" && strings.HasPrefix(st.platform, "windows") {
		return 0, "it is not Linux"
	}
	if outer := p.outer[in]; outer != nil {
		in = outer
	}
	at, _, _ = p.file.src.line(in.node.StartLine)
	if at == 0 && strings.HasPrefix(p.file.src.text, bom) {
		at = len(bom)
	}
	return at, ""
}

// blockText is the block for a stage; old is the one that it has, nil for none.
func (p *planner) blockText(st *stage, old *block) (string, error) {
	image, table := p.cfg.Carry.Image, string(p.cfg.Carry.Route)
	if old != nil {
		image, table = cmp.Or(image, old.image), cmp.Or(table, old.route)
	}
	cfg := p.cfg.Route
	if p.cfg.Carry.Route == nil {
		cfg = route.Config{}
		if table != "" && json.Unmarshal([]byte(table), &cfg) != nil {
			cfg, table = route.Config{}, ""
		}
	}
	script, err := aptscript.Lines(cfg)
	if err != nil {
		return "", err
	}
	head := blockHead
	if table != "" {
		head += " " + table
	}
	lines := []string{head}
	if named := nonRootUser(st.user); named {
		lines = append(lines, "USER root")
	}
	lines = append(lines, "COPY --from="+image+" "+ImageCA+"/ca.crt "+aptscript.Bundle)
	for i, l := range script {
		if i == 0 {
			l = "RUN " + l
		} else {
			l = "    " + l
		}
		if i < len(script)-1 {
			l = strings.TrimRight(l, " ") + " " + string(p.file.escape)
		}
		lines = append(lines, l)
	}
	if nonRootUser(st.user) {
		lines = append(lines, "USER "+st.user)
	}
	eol := "\n"
	if i, j, ok := p.file.src.line(1); ok && strings.HasSuffix(p.file.src.text[i:j], "\r\n") {
		eol = "\r\n"
	}
	return strings.Join(append(lines, blockTail), eol) + eol, nil
}

// nonRootUser reports whether the text names a user that is not root. One that a
// base image names is not known: the script fails there.
func nonRootUser(user string) bool {
	name, _, _ := strings.Cut(user, ":")
	return name != "" && name != "root" && name != "0"
}
